// Package bucket opens folders of object storage: S3 and servers that speak its protocol,
// Google Cloud Storage, Azure Blob Storage.
//
// In comes a URL; out goes an object.Store with all its promises: keys never leave the folder,
// and PutIfAbsent has one winner, since the storage itself is asked to write only where nothing
// is. A file appears whole when its writer is closed. It is apart from package object because
// the platforms' SDKs are most of the program's bytes, and only those who read buckets should
// have to build them.
package bucket
