package cache

// The words that a verdict gives as its reason. They are shown to people and
// sent in Cache-Status.
const (
	// Of a request that the cache is not asked about.
	whyDeclared      = "declared-stream" // the caller says what declared it
	whyDisabled      = "disabled"        // no cache on this route
	whyMethod        = "method"          // neither GET nor HEAD
	whyAuthorization = "authorization"   // the request carries a credential
	whyRange         = "range"           // a part is asked for
	whyPrecondition  = "precondition"    // If-Match and If-Unmodified-Since are for the origin alone

	// Of a request that could not be answered from memory.
	whyURI          = "uri-miss"
	whyVary         = "vary-miss" // held, but for other request fields
	whyExpired      = "expired"
	whyNoCache      = "no-cache"          // the client wants it from the origin
	whyMaxAge       = "request-max-age"   // held, but older than the client accepts
	whyMinFresh     = "request-min-fresh" // held, but it expires too soon for the client
	whyOnlyIfCached = "only-if-cached"    // not held, and the client wants nothing else

	// Of a request (BYPASS) or of a response (MISS).
	whyNoStore = "no-store"

	// Of a response that is not stored.
	whyHead          = "head" // an answer to HEAD has no body to keep
	whyStatus        = "status"
	whyStream        = "undeclared-stream"
	whyPrivate       = "private"
	whyOriginNoCache = "origin-no-cache" // it may not be used without asking again
	whySetCookie     = "set-cookie"
	whyVaryStar      = "vary-star"
	whyCookie        = "cookie"       // the lifetime would be the operator's guess, the answer one person's
	whyNoFreshness   = "no-freshness" // it names no lifetime
	whyStale         = "stale"        // it has lived its lifetime when it comes
	whyTooLarge      = "too-large"
)
