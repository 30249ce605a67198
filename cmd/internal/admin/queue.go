package admin

import (
	"net/http"

	"tailrace/store/live"
)

type loadJSON struct {
	Route       string `json:"route"`
	Slots       int    `json:"slots"`
	InUse       int    `json:"in_use"`
	Waiting     int    `json:"waiting"`
	Shed        uint64 `json:"shed_total"`
	BufferBytes int64  `json:"buffer_bytes"`
	BufferLimit int64  `json:"buffer_limit"`
	Fallback    uint64 `json:"fallback_total"`
}

// GET /v1/queue
func (f *face) queue(w http.ResponseWriter, _ *http.Request, _ string) {
	loads := f.Present.Snapshot(live.Query{}).Loads
	list := make([]loadJSON, len(loads))
	for i, l := range loads {
		list[i] = loadJSON{
			Route: l.Route, Slots: l.Slots, InUse: l.InUse, Waiting: l.Waiting, Shed: l.Shed,
			BufferBytes: l.BufferBytes, BufferLimit: l.BufferLimit, Fallback: l.Fallback,
		}
	}
	reply(w, http.StatusOK, struct {
		Routes []loadJSON `json:"routes"`
	}{list})
}

// POST /v1/purge {"pattern":"/images/*"}
func (f *face) purge(w http.ResponseWriter, r *http.Request, _ string) {
	var what struct {
		Pattern string `json:"pattern"`
	}
	if !body(w, r, &what) {
		return
	}
	if what.Pattern == "" {
		say(w, http.StatusBadRequest, `it is not said what to purge; send {"pattern":"*"} for everything`)
		return
	}
	n, err := f.Control.Purge(what.Pattern)
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, struct {
		Purged int `json:"purged"`
	}{n})
}
