// Package exchange is the language that the rooms of tailrace share: what a
// request, an answer and a call to a language model are, the facts that the
// proxy states about an exchange, and the events that the journal keeps of it.
//
// It holds words, not work: plain values, and two pure folds over them.
// [State.Apply] folds facts into what is happening now (the board);
// [Entry.Apply] folds events into what happened and what may be done about it
// (a row of the journal). Neither does I/O, reads a clock or takes a lock.
//
// An exchange is one request of one client and the answer it gets. It may need
// no fetch (a hit), ride on another exchange's fetch, or take several attempts.
package exchange
