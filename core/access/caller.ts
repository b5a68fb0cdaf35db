/** Origin of a call: the IP address of the caller and the domain of the web page that made the call. */
export interface Caller {
  /** IP address of the caller; empty if it is not known. */
  address: string;
  /** Host name of the web page that made the call; empty if the call does not come from a web page. */
  domain: string;
  /**
   * True if the caller perhaps connects through a proxy. Then no rate limit applies to its IP address, because many
   * callers share the address of a proxy.
   */
  proxied?: boolean;
}
