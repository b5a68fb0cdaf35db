/**
 * Rate limits of the prober. Packets are counted in any one second; a TCP connection counts as one packet.
 */
export interface RateLimits {
  /** Probes under way at one IP address. */
  probesAnAddress: number;
  packetsAnAddress: number;
  /** Packets to one IPv4 /24 or one IPv6 /48. */
  packetsANetwork: number;
  packetsInAll: number;
}

/** The limits of every prober. The operator chooses only how much it sends overall. */
export const DEFAULT_RATE_LIMITS: Omit<RateLimits, 'packetsInAll'> = {
  probesAnAddress: 2,
  packetsAnAddress: 4,
  packetsANetwork: 20,
};
