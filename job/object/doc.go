// Package object reads and writes files in one folder of a lake, whatever storage holds it.
//
// In comes a URL (file, s3, gs, azblob) or a local folder; out goes a Store that lists, reads, creates and deletes
// by key: a slash-separated path below the folder. Two things always hold: a key never
// leaves the folder, and PutIfAbsent has exactly one winner per key, also between processes.
// It refuses storage it does not know by naming the scheme.
//
// In a bucket a file appears whole when its writer is closed. Credentials, region and endpoint
// are found as the platform's own tools find them (for S3: AWS_ACCESS_KEY_ID, AWS_PROFILE,
// AWS_REGION, AWS_ENDPOINT_URL and so on). Servers other than Amazon's are asked by path.
//
// Symbolic links inside the folder are followed, as engines follow them; a key as such
// cannot climb.
package object
