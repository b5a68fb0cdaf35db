/** How much may go out. Packets are those of any one second; a TCP connection counts as one. */
export interface RateLimits {
  /** Probes under way at one IP address. */
  probesAnAddress: number;
  packetsAnAddress: number;
  /** To one IPv4 /24, one IPv6 /48. */
  packetsANetwork: number;
  packetsInAll: number;
}

/** What is asked of every prober; how much it sends in all is its operator's choice. */
export const DEFAULT_RATE_LIMITS: Omit<RateLimits, 'packetsInAll'> = {
  probesAnAddress: 2,
  packetsAnAddress: 4,
  packetsANetwork: 20,
};
