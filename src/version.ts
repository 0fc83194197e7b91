import manifest from '../package.json' with { type: 'json' }

/** Set by `scripts/bundle.ts` and `scripts/compile.ts`; not defined if the sources are run. */
declare const PARLEY_COMMIT: string | undefined

export const version: string = manifest.version

/**
 * The commit that the bundle or the executable was made of, with `-dirty` if files had been changed since. Undefined if that was not
 * known, and if the sources are run: they may be of any commit, or of none.
 */
export const commit: string | undefined = typeof PARLEY_COMMIT === 'undefined' ? undefined : PARLEY_COMMIT || undefined

/** Such as `0.3.0 (abc1234)`. */
export const build: string = commit ? `${version} (${commit})` : version
