// Original file: google/rpc/error_details.proto


/**
 * A message type used to describe a single bad request field.
 */
export interface _google_rpc_BadRequest_FieldViolation {
  /**
   * A path that leads to a field in the request body. The value will be a
   * sequence of dot-separated identifiers that identify a protocol buffer
   * field.
   * 
   * Consider the following:
   * 
   * message CreateContactRequest {
   * message EmailAddress {
   * enum Type {
   * TYPE_UNSPECIFIED = 0;
   * HOME = 1;
   * WORK = 2;
   * }
   * 
   * optional string email = 1;
   * repeated EmailType type = 2;
   * }
   * 
   * string full_name = 1;
   * repeated EmailAddress email_addresses = 2;
   * }
   * 
   * In this example, in proto `field` could take one of the following values:
   * 
   * * `full_name` for a violation in the `full_name` value
   * * `email_addresses[1].email` for a violation in the `email` field of the
   * first `email_addresses` message
   * * `email_addresses[3].type[2]` for a violation in the second `type`
   * value in the third `email_addresses` message.
   * 
   * In JSON, the same values are represented as:
   * 
   * * `fullName` for a violation in the `fullName` value
   * * `emailAddresses[1].email` for a violation in the `email` field of the
   * first `emailAddresses` message
   * * `emailAddresses[3].type[2]` for a violation in the second `type`
   * value in the third `emailAddresses` message.
   */
  'field'?: (string);
  /**
   * A description of why the request element is bad.
   */
  'description'?: (string);
}

/**
 * A message type used to describe a single bad request field.
 */
export interface _google_rpc_BadRequest_FieldViolation__Output {
  /**
   * A path that leads to a field in the request body. The value will be a
   * sequence of dot-separated identifiers that identify a protocol buffer
   * field.
   * 
   * Consider the following:
   * 
   * message CreateContactRequest {
   * message EmailAddress {
   * enum Type {
   * TYPE_UNSPECIFIED = 0;
   * HOME = 1;
   * WORK = 2;
   * }
   * 
   * optional string email = 1;
   * repeated EmailType type = 2;
   * }
   * 
   * string full_name = 1;
   * repeated EmailAddress email_addresses = 2;
   * }
   * 
   * In this example, in proto `field` could take one of the following values:
   * 
   * * `full_name` for a violation in the `full_name` value
   * * `email_addresses[1].email` for a violation in the `email` field of the
   * first `email_addresses` message
   * * `email_addresses[3].type[2]` for a violation in the second `type`
   * value in the third `email_addresses` message.
   * 
   * In JSON, the same values are represented as:
   * 
   * * `fullName` for a violation in the `fullName` value
   * * `emailAddresses[1].email` for a violation in the `email` field of the
   * first `emailAddresses` message
   * * `emailAddresses[3].type[2]` for a violation in the second `type`
   * value in the third `emailAddresses` message.
   */
  'field': (string);
  /**
   * A description of why the request element is bad.
   */
  'description': (string);
}

/**
 * Describes violations in a client request. This error type focuses on the
 * syntactic aspects of the request.
 */
export interface BadRequest {
  /**
   * Describes all violations in a client request.
   */
  'fieldViolations'?: (_google_rpc_BadRequest_FieldViolation)[];
}

/**
 * Describes violations in a client request. This error type focuses on the
 * syntactic aspects of the request.
 */
export interface BadRequest__Output {
  /**
   * Describes all violations in a client request.
   */
  'fieldViolations': (_google_rpc_BadRequest_FieldViolation__Output)[];
}
