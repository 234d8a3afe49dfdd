package embedded

// CheckFile is the check of a database at the start.
var CheckFile = probe

// WithFree is config with a disk that has as much room as free says.
func WithFree(config Config, free func(dir string) (int64, error)) Config {
	config.free = free
	return config
}
