package tui

import "tailrace/tui/cell"

// column is one column of a list of T.
type column[T any] struct {
	title string
	w     int  // cells; with grow, the fewest
	grow  int  // share of the cells that are left over
	from  int  // narrowest list that shows it
	right bool // numbers stand at the right
	left  bool // when too long, its end is kept
	cell  func(T) (tone, string)
}

// fit chooses the columns of a list that is w cells wide and gives out what is
// left over. The first cells of a line belong to the marks.
func fit[T any](w int, cols []column[T]) []column[T] {
	out := make([]column[T], 0, len(cols))
	free, shares := w-marks, 0
	for _, c := range cols {
		if w < c.from {
			continue
		}
		out = append(out, c)
		free -= c.w + 1
		shares += c.grow
	}
	if free <= 0 || shares == 0 {
		return out
	}
	given := 0
	last := -1
	for i := range out {
		if out[i].grow == 0 {
			continue
		}
		n := free * out[i].grow / shares
		out[i].w += n
		given += n
		last = i
	}
	out[last].w += free - given
	return out
}

// marks is how many cells stand before the columns: the sign of the selected
// row, and the sign of the row itself with a blank behind it.
const marks = 3

// titles is the line over the columns.
func titles[T any](t *theme, w int, cols []column[T]) string {
	r := t.row(w)
	r.add(plain, cell.Blank(marks))
	for _, c := range cols {
		r.add(dim, c.place(c.title)).add(plain, " ")
	}
	return r.end()
}

// write adds the cells of one item to a row that has its marks.
func write[T any](r *row, cols []column[T], item T) {
	for i, c := range cols {
		if i > 0 {
			r.add(plain, " ")
		}
		in, s := c.cell(item)
		r.add(in, c.place(s))
	}
}

func (c *column[T]) place(s string) string {
	switch {
	case c.right:
		return cell.PadLeft(s, c.w)
	case c.left:
		return cell.Pad(cell.CutLeft(s, c.w), c.w)
	}
	return cell.Pad(s, c.w)
}

// mark begins the line of a list's row.
func (t *theme) mark(w int, selected bool, in tone, sign string) *row {
	r := t.row(w)
	if selected {
		r.selected = 1
		r.add(accent, "▌")
	} else {
		r.add(plain, " ")
	}
	return r.add(in, sign).add(plain, " ")
}
