package main

// fleeting names the file system of a directory when what lies there does not
// outlive the machine or container; "" for all others, and where that cannot be
// told. Tests replace it.
var fleeting = fileSystemThatEnds

// firstNotice is what there is to know about where prompts and answers lie: at
// the first start, and at every start where they would not stay.
func firstNotice(dir, fileSystem string, first bool) string {
	switch {
	case fileSystem != "":
		return "the journal in " + dir + " will vanish with this machine, for it lies on " + fileSystem + "; keep it on a disk or volume with --state DIR"
	case first:
		return "prompts and answers are kept in " + dir + " and stay on this disk until that folder is deleted"
	}
	return ""
}
