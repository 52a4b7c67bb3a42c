package bucket

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/gcsblob" // gs:// URLs
	"gocloud.dev/blob/s3blob"

	"ajlo/job/hdfs"
	"ajlo/job/object"
)

// Open opens s3://bucket/folder (Spark's s3a and s3n are the same), gs://bucket/folder and
// azblob://container/folder, hdfs:// as hdfs.Open does, and local folders as object.Open does. Credentials, region and
// endpoint come by each platform's usual chain: environment, profiles, the machine's own role.
func Open(location string) (object.Store, error) {
	scheme := object.Scheme(location)
	switch scheme {
	case "s3a", "s3n":
		scheme = "s3"
	case "s3", "gs", onAzure:
	case "", "file":
		return object.Open(location)
	case "hdfs", "webhdfs", "swebhdfs":
		return hdfs.Open(location)
	default:
		return nil, fmt.Errorf("open %s: storage %q is not supported; use a local folder or a file://, s3://, gs://, azblob:// or hdfs:// URL", location, scheme)
	}
	u, err := url.Parse(scheme + location[strings.IndexByte(location, ':'):])
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	// Opening asks the network for nothing but credentials, which the SDKs bound in time.
	s, err := open(context.Background(), u)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	return s, nil
}

func open(ctx context.Context, u *url.URL) (object.Store, error) {
	name, prefix, err := splitURL(u)
	if err != nil {
		return nil, err
	}
	blobs, err := dial(ctx, u.Scheme, name)
	if err != nil {
		return nil, err
	}
	return store{blobs: blobs, prefix: prefix, url: u.Scheme + "://" + name + trimSlash("/"+prefix)}, nil
}

func trimSlash(path string) string { return path[:len(path)-1] }

func dial(ctx context.Context, scheme, name string) (*blob.Bucket, error) {
	switch scheme {
	case "s3":
		return dialAmazon(ctx, name)
	case onAzure:
		return dialAzure(name)
	}
	return blob.OpenBucket(ctx, scheme+"://"+name)
}

const onAzure = "azblob"

// anyRegion is what servers that are not Amazon's take: they have no regions, and requests
// are signed for one all the same.
const anyRegion = "us-east-1"

// dialAmazon opens a bucket of S3 or of a server that speaks its protocol, which
// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL names. Such servers are asked for /bucket/key:
// few of them have a host name for each bucket.
func dialAmazon(ctx context.Context, name string) (*blob.Bucket, error) {
	// The SDK would print on standard error whatever ajlo's own log is set to.
	settings, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, fmt.Errorf("find the credentials of S3: %w", err)
	}
	elsewhere := os.Getenv("AWS_ENDPOINT_URL_S3") != "" || os.Getenv("AWS_ENDPOINT_URL") != "" || settings.BaseEndpoint != nil
	if settings.Region == "" && elsewhere {
		settings.Region = anyRegion
	}
	client := s3.NewFromConfig(settings, func(o *s3.Options) { o.UsePathStyle = elsewhere })
	return s3blob.OpenBucket(ctx, client, name, &s3blob.Options{RequestChecksumCalculation: settings.RequestChecksumCalculation})
}
