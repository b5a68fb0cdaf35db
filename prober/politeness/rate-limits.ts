/**
 * Rate limits of the prober. Packet limits are in packets per second. A TCP connection counts as one packet.
 */
export interface RateLimits {
  /** Maximum number of concurrent probes at one IP address. */
  probesAnAddress: number;
  /** Maximum number of packets per second to one IP address. */
  packetsAnAddress: number;
  /** Maximum number of packets per second to one network: an IPv4 /24 or an IPv6 /48. */
  packetsANetwork: number;
  /** Maximum number of packets per second to all addresses together. */
  packetsInAll: number;
}

/** Rate limits that the operator cannot change. Only the packet limit of the whole prober is a setting. */
export const DEFAULT_RATE_LIMITS: Omit<RateLimits, 'packetsInAll'> = {
  probesAnAddress: 2,
  packetsAnAddress: 4,
  packetsANetwork: 20,
};
