package iceberg

import "github.com/apache/iceberg-go"

// hidden counts the rows that delete files and vectors hide.
type hidden struct {
	files  int
	rows   map[string]int64 // by the data file's address
	spread bool             // some deletes are not said to be of one file
}

func newHidden() *hidden { return &hidden{rows: map[string]int64{}} }

// filePathField is the reserved id of the column file_path of position deletes: equal bounds
// of it name the one file they are of.
const filePathField = 2147483546

func (h *hidden) add(d iceberg.DataFile) {
	h.files++
	if of, ok := ofOneFile(d); ok {
		h.rows[bare(of)] += d.Count()
	} else {
		h.spread = true
	}
}

func ofOneFile(d iceberg.DataFile) (address string, ok bool) {
	if d.ContentType() != iceberg.EntryContentPosDeletes {
		return "", false
	}
	if of := d.ReferencedDataFile(); of != nil {
		return *of, true
	}
	low, high := d.LowerBoundValues()[filePathField], d.UpperBoundValues()[filePathField]
	return string(low), len(low) > 0 && string(low) == string(high)
}

// take subtracts what is hidden from the rows of the files with these addresses. Deletes that
// may be of any file make all counts unknown.
func (h *hidden) take(files []File, addresses []string) {
	for i, f := range files {
		n := h.rows[bare(addresses[i])]
		files[i].Deleted = h.spread || n > 0
		files[i].Rows = max(0, f.Rows-n)
		if h.spread {
			files[i].Rows = -1
		}
	}
}
