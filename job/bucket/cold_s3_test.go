//go:build s3

package bucket_test

import (
	"errors"
	"os"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

// What S3 has moved to an archive is named as such, and read once it is restored.
func TestColdFilesOfAmazon(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": buckettest.Moto(t),
		"AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	settings, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, lake := s3.NewFromConfig(settings, func(o *s3.Options) { o.UsePathStyle = true }), "lake"
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &lake}); err != nil {
		t.Fatal(err)
	}
	s, err := bucket.Open("s3://lake")
	if err != nil {
		t.Fatal(err)
	}
	for class, cold := range map[types.StorageClass]bool{
		types.StorageClassStandardIa: false, types.StorageClassGlacierIr: false,
		types.StorageClassGlacier: true, types.StorageClassDeepArchive: true,
	} {
		key := string(class)
		if err := s.PutIfAbsent(t.Context(), key, []byte("rows")); err != nil {
			t.Fatal(err)
		}
		from := lake + "/" + key
		if _, err := client.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: &lake, Key: &key, CopySource: &from, StorageClass: class}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), key); errors.Is(err, object.ErrCold) != cold || !cold && err != nil {
			t.Errorf("open of a file of class %s: %v", class, err)
		}
		if _, err := s.ReadAll(t.Context(), key); errors.Is(err, object.ErrCold) != cold || !cold && err != nil {
			t.Errorf("read of a file of class %s: %v", class, err)
		}
		if !cold {
			continue
		}
		days := int32(1)
		if _, err := client.RestoreObject(t.Context(), &s3.RestoreObjectInput{Bucket: &lake, Key: &key, RestoreRequest: &types.RestoreRequest{Days: &days}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), key); err != nil {
			t.Errorf("open of a file of class %s that was restored: %v", class, err)
		}
	}
}

// Azurite keeps the tier of a blob, and refuses to read what is archived.
func TestColdFilesOfAzure(t *testing.T) {
	s, err := bucket.Open(buckettest.StartAzure(t).Bucket)
	if err != nil {
		t.Fatal(err)
	}
	client, err := container.NewClientFromConnectionString(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), "lake", nil)
	if err != nil {
		t.Fatal(err)
	}
	for tier, cold := range map[blob.AccessTier]bool{blob.AccessTierCool: false, blob.AccessTierArchive: true} {
		key := string(tier)
		if err := s.PutIfAbsent(t.Context(), key, []byte("rows")); err != nil {
			t.Fatal(err)
		}
		if _, err := client.NewBlobClient(key).SetTier(t.Context(), tier, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), key); errors.Is(err, object.ErrCold) != cold || !cold && err != nil {
			t.Errorf("open of a file of tier %s: %v", tier, err)
		}
		if _, err := s.ReadAll(t.Context(), key); errors.Is(err, object.ErrCold) != cold || !cold && err != nil {
			t.Errorf("read of a file of tier %s: %v", tier, err)
		}
	}
}
