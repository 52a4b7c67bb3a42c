//go:build !s3

package merge_test

import "ajlo/job/object"

// openFolder opens folders on this machine's disks; under the tag s3 those of buckets, too.
var openFolder = object.Open
