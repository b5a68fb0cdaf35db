/** A host (IPv6 without brackets) and a port, to listen on or to connect to. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Joins a host and a port to a text `host:port`. An IPv6 host gets brackets. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Formats an endpoint as `host:port`. An IPv6 host gets brackets. */
export function formatEndpoint({ host, port }: Endpoint): string {
  return hostPort(host, port);
}
