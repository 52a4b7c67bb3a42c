// Package hdfs opens folders of Hadoop's file system by WebHDFS, the interface over HTTP that name
// nodes have.
//
// In comes a URL, hdfs://NAMENODE/FOLDER as Spark's logs have it or webhdfs://NAMENODE:PORT/FOLDER;
// out goes an object.Store with all its promises. A file is written under a temporary name and gets
// its own when it is whole, by a rename that fails where the name is taken: the name node does that
// in one step, and Spark commits to Delta tables there in the same way. Clusters that want Kerberos
// are refused.
package hdfs
