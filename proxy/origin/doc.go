// Package origin fetches from origins: pools of connections of our own, so that
// a fetch can be cut at any phase and is never sent twice.
//
// [Pool.Get] gives a connection, pooled or dialled, and [Conn.Send] writes one
// request on it and returns the head and the body of its answer. Between the
// two the caller does what must be durable before the first byte leaves: that
// is why they are two steps. The context given to Get governs everything until
// [Conn.Close]: when it ends, the connection is closed at once, whatever it was
// doing, and what was waiting on it returns the context's cause.
//
// Send writes once. It never sends a request again, not even one that is
// idempotent: whether a second attempt may be made is not for a connection to
// decide. What it may do, because nothing was written yet, is to look at a
// pooled connection once more and dial anew when the origin has closed it or
// has written on it unasked.
//
// HTTP/1.0 and 1.1 are spoken, over TCP and over verified TLS. HTTP/2, proxies
// and upgrades are not.
package origin
