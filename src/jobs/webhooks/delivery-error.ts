export type DeliveryReason =
  | 'refused_destination'
  | 'malformed_request'
  | 'timeout'
  | 'connection'
  | 'tls'
  | 'malformed_answer'

/** Why a delivery came to nothing: a word for the record and a sentence for whoever runs the receiver. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'

  constructor(
    readonly reason: DeliveryReason,
    sentence: string,
  ) {
    super(sentence)
  }
}
