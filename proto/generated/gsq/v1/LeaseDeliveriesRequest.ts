// Original file: gsq/v1/notify.proto


export interface LeaseDeliveriesRequest {
  /**
   * Maximum number of deliveries, at most 100.
   */
  'maxDeliveries'?: (number);
  /**
   * Maximum time to wait for a delivery that is due, at most 20000.
   */
  'waitMs'?: (number);
}

export interface LeaseDeliveriesRequest__Output {
  /**
   * Maximum number of deliveries, at most 100.
   */
  'maxDeliveries': (number);
  /**
   * Maximum time to wait for a delivery that is due, at most 20000.
   */
  'waitMs': (number);
}
