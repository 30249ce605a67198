// Package tui is the dashboard: it shows what the exchanges are doing and lets
// a person kill and retry them.
//
// There is one tea.Model. Parts of the screen are structs with plain methods, a
// file each; nothing does I/O in Update or View. The present is looked at when
// its bell rings, in one snapshot of the window that is on screen; the past is
// read in commands. What a command does comes back as facts, so this screen,
// the admin API and the shell always agree.
//
// Three rules hold for everything that is drawn:
//
//   - Text from traffic goes through tui/cell, and so holds nothing that a
//     terminal obeys.
//   - A line is built with [row], which cannot become wider than its window; a
//     frame is cut to the height of the screen.
//   - A colour never stands alone: beside it there is a word or a sign.
//
// [Run] owns the terminal and gives it back on every way out. Goroutines
// elsewhere in the program that may panic begin with "defer tui.Guard()".
package tui
