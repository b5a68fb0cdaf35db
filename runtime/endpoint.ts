/** A host, without brackets, and a port to listen on or to connect to. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Formats `host:port`; IPv6 in brackets. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Formats an endpoint as `hostPort` does. */
export function formatEndpoint({ host, port }: Endpoint): string {
  return hostPort(host, port);
}
