import { Problem } from '../../contract/errors'

const RETRY_SECONDS = 60

/** What an operator does about it. */
export const DAMAGE_ADVICE = 'Stop the server, keep a copy of the database, and run `parley restore FILE --force`.'

abstract class Damaged extends Problem {
  constructor(
    what: string,
    override readonly cause: unknown,
  ) {
    const detail = `${what} is damaged, so this cannot be done. Tell the operator of this server; nothing was changed.`
    super('unavailable', detail, undefined, { 'Retry-After': String(RETRY_SECONDS) })
  }
}

/** A request met data that the database cannot read any more. Trying again does not help; an operator must act. */
export class DatabaseDamaged extends Damaged {
  constructor(cause: unknown) {
    super('The database', cause)
  }
}

/** What an operator does about a search index alone: it is made of the records, so nothing is lost. */
export const INDEX_ADVICE = 'Run `parley reindex`; the server may go on running.'

/** A request met a part of the search index that cannot be read any more. The records are not concerned. */
export class SearchIndexDamaged extends Damaged {
  constructor(cause: unknown) {
    super('The search index', cause)
  }
}

export type Damage = DatabaseDamaged | SearchIndexDamaged

/**
 * Remembers that damage was met. From then on `refuse` throws until the process is restarted: what else is damaged is
 * unknown, so the node should get no more traffic. A damaged search index is only reported: all else works.
 */
export function openDamageReport(onDamage: (damage: Damage) => void = () => {}) {
  let found: DatabaseDamaged | undefined
  return {
    /** Takes note of an error on its way to the caller. */
    pass<E>(error: E): E {
      if (error instanceof DatabaseDamaged) found ??= error
      if (error instanceof DatabaseDamaged || error instanceof SearchIndexDamaged) onDamage(error)
      return error
    },
    refuse() {
      if (found) throw found
    },
  }
}

/** The result of a check: passed, or the fault and what to do about it. */
export interface Finding {
  what: string
  isOk: boolean
  /** A figure if the check passed, otherwise the fault. */
  message: string
  advice?: string
}

export const pass = (what: string, message: string): Finding => ({ what, isOk: true, message })
export const fail = (what: string, message: string, advice: string): Finding => ({ what, isOk: false, message, advice })

const MAX_SHOWN = 20

/** One finding for each fault, up to a maximum, and one that counts the rest. */
export function showSome(what: string, faults: readonly string[], advice: string): Finding[] {
  const shown = faults.slice(0, MAX_SHOWN).map((fault) => fail(what, fault, advice))
  const more = faults.length - shown.length
  return more > 0 ? [...shown, fail(what, `and ${more} more`, advice)] : shown
}
