// Package journal remembers, in one SQLite file, every call to a language model
// from before it is sent: what was asked, each attempt with what came back, and
// the one answer that was accepted.
//
// [Open] a journal and [Journal.Append] steps to it. A step is one commit. The
// step that carries an intent claims a row and opens an attempt; the claim it
// returns is shown with everything said of that attempt later, so that an
// attempt that a newer one has replaced can no longer write. [Journal.Accept]
// ends an attempt with the answer that equal requests are given from then on:
// whole or not at all, and at most one for each row.
//
// [Journal.Recall] answers the question that comes before a send: was this asked
// already, and what became of it?
//
// There are few parts. One goroutine writes; it takes whatever waits and commits
// it together (writer.go). Readers have connections of their own and never wait
// for it. A third kind of connection moves the write-ahead log into the database
// file (checkpoint.go). The columns that describe a row are the fold of its
// events, [exchange.Entry.Apply], written in the same transaction.
//
// One process has a journal file at a time. Nothing is ever sent from here: what
// a dead process left open is marked, and people or their next requests decide.
package journal
