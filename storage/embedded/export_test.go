package embedded

// CheckFile is the check of a database at the start.
var CheckFile = probe
