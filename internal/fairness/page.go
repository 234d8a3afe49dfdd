package fairness

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// The columns of the pages. detailColumns are behind requestColumns if the query asks for them. One
// name is misspelled in Kubernetes, and programs look for it.
var (
	levelColumns = []string{
		"PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests", "ExecutingRequests",
		"DispatchedRequests", "RejectedRequests", "TimedoutRequests", "CancelledRequests",
	}
	queueColumns = []string{
		"PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse", "NextDispatchR",
		"InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum",
	}
	requestColumns = []string{
		"PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher",
		"ArriveTime", "InitialSeats", "FinalSeats", "AdditionalLatency", "StartTime",
	}
	detailColumns = []string{"UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"}
)

// LevelsPage is a text with a line for each level, as a kube-apiserver has it.
func (c *Controller) LevelsPage() []byte { return aligned(levelRows(c.Dump())) }

// QueuesPage is a text with a line for each queue.
func (c *Controller) QueuesPage() []byte { return aligned(queueRows(c.Dump())) }

// RequestsPage is a text with a line for each request that is answered or waits. With details it
// says what the request is, and of whom.
func (c *Controller) RequestsPage(details bool) []byte {
	return aligned(requestRows(c.Dump(), details))
}

// aligned has the cells of rows below each other.
func aligned(rows [][]string) []byte {
	var page bytes.Buffer
	w := tabwriter.NewWriter(&page, 8, 0, 1, ' ', 0)
	for _, cells := range rows {
		for i, cell := range cells {
			if i > 0 {
				fmt.Fprint(w, ",\t")
			}
			fmt.Fprint(w, plainCell(cell))
		}
		fmt.Fprintln(w)
	}
	w.Flush() // a buffer takes everything
	return page.Bytes()
}

// plainCell quotes what would look like several cells or lines: the name of a user may be anything.
func plainCell(text string) string {
	if quoted := strconv.Quote(text); strings.Contains(text, ",") || quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

func levelRows(levels []LevelDump) [][]string {
	rows := [][]string{levelColumns}
	for _, l := range levels {
		active := 0
		for _, q := range l.Queues {
			if q.Waiting > 0 {
				active++
			}
		}
		idle := l.Waiting == 0 && l.Executing == 0
		rows = append(rows, []string{
			l.Name, strconv.Itoa(active), strconv.FormatBool(idle), "false", // a level that is there no more is not listed
			strconv.Itoa(l.Waiting), strconv.Itoa(l.Executing),
			strconv.Itoa(l.Dispatched), strconv.Itoa(l.Rejected), strconv.Itoa(l.TimedOut), strconv.Itoa(l.Cancelled),
		})
	}
	return rows
}

func queueRows(levels []LevelDump) [][]string {
	rows := [][]string{queueColumns}
	for _, l := range levels {
		for n, q := range l.Queues {
			rows = append(rows, []string{
				l.Name, strconv.Itoa(n), strconv.Itoa(q.Waiting), strconv.Itoa(q.Executing), strconv.Itoa(q.SeatsInUse),
				seatSeconds(q.Next), strconv.Itoa(q.Initial), strconv.Itoa(q.Most), seatSeconds(q.Work),
			})
		}
	}
	return rows
}

func requestRows(levels []LevelDump, details bool) [][]string {
	rows := [][]string{requestColumns}
	if details {
		rows[0] = append(rows[0][:len(rows[0]):len(rows[0])], detailColumns...)
	}
	for _, l := range levels {
		for _, r := range l.Requests {
			cells := []string{
				l.Name, r.Schema, strconv.Itoa(r.Queue), strconv.Itoa(r.Place), r.Flow,
				instant(r.Arrived), strconv.Itoa(r.Work.Seats), strconv.Itoa(r.Work.FinalSeats), r.Work.After.String(), instant(r.Began),
			}
			if details {
				cells = append(cells, detailsOf(&r.Request)...)
			}
			rows = append(rows, cells)
		}
	}
	return rows
}

func detailsOf(r *Request) []string {
	version := r.Version
	if r.Group != "" {
		version = r.Group + "/" + version
	}
	return []string{r.User.Name, r.Verb, r.Path, r.Namespace, r.Name, version, r.Resource, r.Subresource}
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func seatSeconds(work float64) string { return fmt.Sprintf("%.8fss", work) }
