// Package sparksql is the engine that has the team's own Spark carry out the steps, by
// spark-sql as a child process.
//
// In comes a step of a plan on a Delta or an Iceberg table; out comes what Spark's commits did to the
// table, as its log tells: files, bytes, and the rows of the files before and after, read
// again by ajlo itself (rule 1). What always holds: the child runs the statements of the step
// and nothing else, in a folder of its own, and it does not outlive ajlo; each commit carries
// the run's stamp, so that a run that was killed is understood from the table's history
// (rule 12); nothing in the table's folder is ever deleted here. When others change the table
// meanwhile, Spark gives up with a conflict: the step is then done again on the newest version.
//
// It refuses, before a byte is written: a Spark that does not start, a table that this Spark
// finds elsewhere than the plan, tables on S3 whose writers nobody vouches for (rule 4), a
// schema or protocol other than planned, and layouts that Spark cannot make.
//
// Of an Iceberg table the rows of what a step takes are read before Spark begins: what ajlo
// cannot read, such as rows hidden by delete files, is refused. A commit whose state Spark does
// not know is looked for in the table's history, and files are left alone.
//
// Tried on Spark 4.0.2 with Iceberg 1.10.1: rewrite_data_files commits once, as a replace. With
// Delta 4.0.1, and on Spark 3.5.7 with 3.3.2: OPTIMIZE commits once, with
// spark.databricks.delta.commitInfo.userMetadata as its user metadata; ALTER … CLUSTER BY is a
// commit of its own with the same, also where the keys are declared already. The release of
// Delta Lake is what java_method('io.delta.package', 'VERSION') gives.
package sparksql
