package hdfs

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

const noKerberos = "the cluster wants Kerberos, which ajlo does not speak: give it a copy, or a gateway that asks for none as webhdfs://HOST:PORT/FOLDER"

// settings are properties of Hadoop's own configuration.
type settings map[string]string

// readSettings reads what HADOOP_CONF_DIR names; nothing where it is not set.
func readSettings() (settings, error) {
	s, folder := settings{}, os.Getenv("HADOOP_CONF_DIR")
	if folder == "" {
		return s, nil
	}
	for _, name := range []string{"core-site.xml", "hdfs-site.xml"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var file struct {
			Property []struct {
				Name  string `xml:"name"`
				Value string `xml:"value"`
			} `xml:"property"`
		}
		if err = cmp.Or(err, xml.Unmarshal(text, &file)); err != nil {
			return nil, fmt.Errorf("read Hadoop's configuration (HADOOP_CONF_DIR) %s: %w", name, err)
		}
		for _, p := range file.Property {
			s[p.Name] = strings.TrimSpace(p.Value)
		}
	}
	return s, nil
}

// The ports that name nodes of Hadoop 3 have where nothing else is said.
const (
	httpPort  = "9870"
	httpsPort = "9871"
)

// servers gives the addresses of the name nodes behind a URL, as http://HOST:PORT: of a name service
// those of all its name nodes, one of which is active.
func (s settings) servers(u *url.URL) ([]string, error) {
	switch u.Scheme {
	case "webhdfs":
		return []string{"http://" + withPort(u.Host, httpPort)}, nil
	case "swebhdfs":
		return []string{"https://" + withPort(u.Host, httpsPort)}, nil
	}
	if strings.EqualFold(s["hadoop.security.authentication"], "kerberos") {
		return nil, errors.New(noKerberos)
	}
	scheme, address, port := "http://", "dfs.namenode.http-address", httpPort
	if s["dfs.http.policy"] == "HTTPS_ONLY" {
		scheme, address, port = "https://", "dfs.namenode.https-address", httpsPort
	}
	nodes := s["dfs.ha.namenodes."+u.Host]
	if nodes == "" {
		if own, err := url.Parse(s["fs.defaultFS"]); err == nil && own.Host == u.Host && s[address] != "" {
			return []string{scheme + withPort(s[address], port)}, nil
		}
		return []string{scheme + net.JoinHostPort(u.Hostname(), port)}, nil
	}
	var all []string
	for node := range strings.SplitSeq(nodes, ",") {
		name := address + "." + u.Host + "." + strings.TrimSpace(node)
		if s[name] == "" {
			return nil, fmt.Errorf("the configuration in HADOOP_CONF_DIR has no %s", name)
		}
		all = append(all, scheme+withPort(s[name], port))
	}
	return all, nil
}

func withPort(host, port string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// caller is who asks: HADOOP_USER_NAME, or who runs the program.
func caller() (string, error) {
	if name := os.Getenv("HADOOP_USER_NAME"); name != "" {
		return name, nil
	}
	who, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("find out who asks; set HADOOP_USER_NAME: %w", err)
	}
	return who.Username, nil
}
