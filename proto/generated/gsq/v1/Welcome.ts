// Original file: gsq/v1/probe.proto


export interface Welcome {
  /**
   * CIDR ranges the operator opened beyond public addresses.
   */
  'allowTargets'?: (string)[];
  /**
   * Those that are never to be probed, whatever is opened.
   */
  'denyTargets'?: (string)[];
}

export interface Welcome__Output {
  /**
   * CIDR ranges the operator opened beyond public addresses.
   */
  'allowTargets': (string)[];
  /**
   * Those that are never to be probed, whatever is opened.
   */
  'denyTargets': (string)[];
}
