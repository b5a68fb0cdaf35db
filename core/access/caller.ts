/** The source of a call: its IP address and the web page behind it. */
export interface Caller {
  /** IP address; empty if it is not known. */
  address: string;
  /** Host name of the web page that makes the call; empty if there is none. */
  domain: string;
  /** True if the address may be that of a proxy, which many callers share. */
  proxied?: boolean;
}
