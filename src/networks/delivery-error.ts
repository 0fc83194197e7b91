export type DeliveryReason =
  | 'refused_destination'
  | 'malformed_request'
  | 'timeout'
  | 'connection'
  | 'tls'
  | 'malformed_answer'

/** Why a delivery failed: a code, and a message for whoever runs the receiver. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'

  constructor(
    readonly reason: DeliveryReason,
    message: string,
  ) {
    super(message)
  }
}
