// Original file: gsq/v1/probe.proto


export interface Hello {
  'prober'?: (string);
  /**
   * How many leases the prober can hold at once.
   */
  'maxInFlight'?: (number);
}

export interface Hello__Output {
  'prober': (string);
  /**
   * How many leases the prober can hold at once.
   */
  'maxInFlight': (number);
}
