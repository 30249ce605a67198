package cache

import (
	"strings"
	"time"

	"tailrace/proxy/exchange"
)

// longest bounds every age and lifetime, so that their sums cannot overflow.
const longest = time.Duration(maxSeconds) * time.Second

// lifetime is how long a response is fresh, from the moment it was generated
// (RFC 9111, section 4.2.1): s-maxage, max-age, Expires, then the route's
// default. named is false when the response says nothing about it itself.
func lifetime(p *Policy, head *exchange.Head, rd *responseDirectives, date time.Time) (d time.Duration, named bool) {
	switch {
	case rd.sMaxAge != absent:
		return rd.sMaxAge.duration(), true
	case rd.maxAge != absent:
		return rd.maxAge.duration(), true
	}
	if expires, ok := expiry(head.Header, date); ok {
		return expires, true
	}
	if p.TTLDefault > 0 && defaultable(head.Status) {
		return min(p.TTLDefault, longest), false
	}
	return 0, false
}

// expiry is Expires minus Date, 0 when a date cannot be read ("Expires: 0", RFC
// 9111, section 5.3); of several lines the earliest holds.
func expiry(h exchange.Header, date time.Time) (d time.Duration, ok bool) {
	for i := range h {
		if !strings.EqualFold(h[i].Name, "Expires") {
			continue
		}
		var here time.Duration
		if t, valid := parseDate(h[i].Value); valid {
			here = span(date, t)
		}
		if !ok || here < d {
			d = here
		}
		ok = true
	}
	return d, ok
}

// defaultable lists the statuses that may live without saying how long (RFC
// 9110, section 15.1), but for 206, which is never stored.
func defaultable(status int) bool {
	switch status {
	case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501:
		return true
	}
	return false
}

// initialAge is corrected_initial_age (RFC 9111, section 4.2.3): how old the
// response was when its head came, the larger of what its Date and what its Age
// says. The time it took to come counts as age, for it may have been generated
// at the start of it.
func initialAge(h exchange.Header, date, sent, received time.Time) time.Duration {
	var age seconds
	first, _, _ := strings.Cut(h.Get("Age"), ",")
	if n, ok := parseSeconds(trim(first)); ok { // else it is ignored (section 5.1)
		age = n
	}
	return min(max(span(date, received), age.duration()+span(sent, received)), longest)
}

// span is how long it is from a to b, not below 0 and not above longest.
func span(a, b time.Time) time.Duration {
	return min(max(b.Sub(a), 0), longest)
}

// dateOf returns the response's Date, or when its head came if it has none that
// can be read.
func dateOf(h exchange.Header, received time.Time) time.Time {
	if t, ok := parseDate(h.Get("Date")); ok {
		return t
	}
	return received
}

const fixdate = "Mon, 02 Jan 2006 15:04:05 GMT"

// parseDate reads an HTTP-date in its three forms (RFC 9110, section 5.6.7).
func parseDate(s string) (time.Time, bool) {
	s = trim(s)
	for _, layout := range [...]string{fixdate, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
