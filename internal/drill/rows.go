package drill

// Row is a row of the scorecard, by its number.
type Row int

// The rows, in their order.
const (
	_ Row = iota
	ProcessKill
	PowerCut
	Serializable
	ExactWatches
	Bookmarks
	CacheIsStore
	FreshLists
	RollingRestart
	LeaderKill
	FrozenMember
	Partition
	Start
	NoQuorum
	SlowDisk
	FullDisk
	Pages
	ManyWatchers
	SlowClient
	ListMemory
	Latency
	Soak
	Overload
	KnownHoles
	Posture
	Fuzz
	Restore
	Upgrade
	Rotation
	PlantedBugs
	MetricSeries
	Races
	InwardWebhooks
	RestoreUnderReplicas
	LostDirectory
	CorruptMember
	ReplacedMember
	EndingAuthority
	WrongClock
	Descriptors
	LittleMemory
)
