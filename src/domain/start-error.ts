/** An error that an operator can fix. Only its message is printed, without a stack trace. */
export class StartError extends Error {
  override name = 'StartError'
}

/** The database is not there yet; starting again later may help. */
export class NotYetError extends StartError {}
