// Original file: gsq/v1/probe.proto


export interface Welcome {
  /**
   * CIDR ranges the operator opened beyond public addresses.
   */
  'allowTargets'?: (string)[];
  /**
   * A lease not reported within this time is given out again.
   */
  'leaseMs'?: (number);
}

export interface Welcome__Output {
  /**
   * CIDR ranges the operator opened beyond public addresses.
   */
  'allowTargets': (string)[];
  /**
   * A lease not reported within this time is given out again.
   */
  'leaseMs': (number);
}
