/** Something an operator can put right. It is told in its own words, without a stack trace. */
export class StartError extends Error {
  override name = 'StartError'
}

/** The database is not there yet; starting again later may help. */
export class NotYetError extends StartError {}
