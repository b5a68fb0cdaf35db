/** Origin of a call: the IP address of the caller and the domain of the web page that made the call. */
export interface Caller {
  /** IP address of the caller; empty if it is not known. */
  address: string;
  /** Host name of the web page that made the call; empty if the call does not come from a web page. */
  domain: string;
  /**
   * True if the IP address of the caller may be that of a proxy. No rate limit applies to such an address, because many
   * callers share it.
   */
  proxied?: boolean;
}
