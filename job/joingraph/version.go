package joingraph

// Version is raised with every change of the graph, or of its scores, that the same facts give:
// windows that were scored by another version are scored anew before they are compared.
const Version = 1
