package execute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/object"
)

// StorageHazard says why commits to the storage could be lost or take another's place (rule 4);
// empty where they cannot. Google's and Azure's storage refuse a second file of one name to
// whoever asks, and on HDFS all who are known rename without overwriting; S3 does so for those only who ask on condition. Local disks are left to those
// who run Spark beside ajlo: its own writers there look first and then rename.
func StorageHazard(store object.Store, commit config.Commit) string {
	if object.Scheme(store.URL()) != onS3 {
		return ""
	}
	switch commit {
	case config.Exclusive, config.Conditional:
		return ""
	case config.DynamoDB, config.ByCatalog:
		return fmt.Sprintf("the config has commit: %s, which the embedded engine cannot do", commit)
	}
	return "it is on S3, where Delta's writers can lose each other's commits: say in the config how commits are made safe (commit: conditional or exclusive)"
}

const onS3 = "s3"

// Hazard is StorageHazard, and where commits are on condition also a writer in the table's
// history whose commits have none.
func Hazard(ctx context.Context, store object.Store, s delta.Snapshot, commit config.Commit) (string, error) {
	if reason := StorageHazard(store, commit); reason != "" || object.Scheme(store.URL()) != onS3 || commit != config.Conditional {
		return reason, nil
	}
	writers, err := delta.Writers(ctx, store, s.Version)
	if err != nil {
		return "", err
	}
	for _, w := range writers {
		if !slices.ContainsFunc(conditional, func(name string) bool { return strings.HasPrefix(w, name) }) {
			return fmt.Sprintf("the config has commit: conditional, but %s wrote to it, whose commits on S3 are not known to have a condition (those of %s are): keep it from the table and say commit: exclusive",
				w, strings.Join(conditional, ", ")), nil
		}
	}
	return "", nil
}

// conditional start what the engines say of themselves in a commit that write it on condition.
// Open-source Spark, and what else stands on its storage layer, looks for a version and then writes
// it.
var conditional = []string{"ajlo/", "delta-rs"}
