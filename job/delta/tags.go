package delta

import "ajlo/job/layout"

// LayoutTags are the tags of an added file that say which layout it was written in.
func LayoutTags(l layout.Layout) map[string]string { panic("not there yet") }

// TaggedLayout reads them back: the layout, whether ajlo ("us") or an engine ("user") wrote
// it, and false where the tags name none.
func TaggedLayout(tags map[string]string) (l layout.Layout, owner string, ok bool) {
	panic("not there yet")
}
