// Original file: gsq/v1/notify.proto


export interface LeaseDeliveriesRequest {
  /**
   * Maximum number of deliveries to lease, at most 100.
   */
  'maxDeliveries'?: (number);
  /**
   * Maximum time to wait until a delivery is due, ms, at most 20000.
   */
  'waitMs'?: (number);
}

export interface LeaseDeliveriesRequest__Output {
  /**
   * Maximum number of deliveries to lease, at most 100.
   */
  'maxDeliveries': (number);
  /**
   * Maximum time to wait until a delivery is due, ms, at most 20000.
   */
  'waitMs': (number);
}
