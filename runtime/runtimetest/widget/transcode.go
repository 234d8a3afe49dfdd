package widget

import "github.com/typeplane/typeplane/runtime/transcode"

// The tables of both versions, as gen would print them.

var tableV1 = transcode.Message{
	Members: []transcode.Member{
		{Name: `,"metadata":`, Tag: 1<<3 | 2, Form: transcode.Metadata, Of: &transcode.ObjectMeta},
		{Name: `,"spec":`, Tag: 2<<3 | 2, Form: transcode.Struct, Of: &tableV1Spec},
		{Name: `,"status":`, Tag: 3<<3 | 2, Form: transcode.Struct, Of: &tableStatus},
	},
}

var tableV1Spec = transcode.Message{
	Members: []transcode.Member{
		{Name: `,"color":`, Tag: 1<<3 | 2, Form: transcode.Text, Rule: transcode.Optional},
		{Name: `,"replicas":`, Tag: 2 << 3, Form: transcode.Int32, Rule: transcode.Optional | transcode.Pointer},
		{Name: `,"parts":`, Tag: 3<<3 | 2, Form: transcode.Struct, Rule: transcode.Optional | transcode.List, Of: &tablePart},
		{Name: `,"options":`, Tag: 4<<3 | 2, Form: transcode.Text, Rule: transcode.Optional | transcode.Map},
	},
}

var tableV1beta1 = transcode.Message{
	Members: []transcode.Member{
		{Name: `,"metadata":`, Tag: 1<<3 | 2, Form: transcode.Metadata, Of: &transcode.ObjectMeta},
		{Name: `,"spec":`, Tag: 2<<3 | 2, Form: transcode.Struct, Of: &tableV1beta1Spec},
		{Name: `,"status":`, Tag: 3<<3 | 2, Form: transcode.Struct, Of: &tableStatus},
	},
}

var tableV1beta1Spec = transcode.Message{
	Members: []transcode.Member{
		{Name: `,"parts":`, Tag: 1<<3 | 2, Form: transcode.Struct, Rule: transcode.Optional | transcode.List, Of: &tablePart},
		{Name: `,"colour":`, Tag: 2<<3 | 2, Form: transcode.Text, Rule: transcode.Optional},
		{Name: `,"replicas":`, Tag: 3 << 3, Form: transcode.Int32, Rule: transcode.Optional},
		{Name: `,"options":`, Tag: 5<<3 | 2, Form: transcode.Text, Rule: transcode.Optional | transcode.Map},
	},
}

var tablePart = transcode.Message{
	Members: []transcode.Member{
		{Name: `,"name":`, Tag: 1<<3 | 2, Form: transcode.Text},
		{Name: `,"count":`, Tag: 2 << 3, Form: transcode.Int32, Rule: transcode.Optional},
	},
}

var tableStatus = transcode.Message{
	Members: []transcode.Member{
		{Name: `,"phase":`, Tag: 1<<3 | 2, Form: transcode.Text, Rule: transcode.Optional},
		{Name: `,"seen":`, Tag: 2 << 3, Form: transcode.Int64, Rule: transcode.Optional | transcode.Pointer},
	},
}
