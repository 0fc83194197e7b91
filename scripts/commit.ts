import { dirname } from 'node:path'
import { root } from '../src/bundle'

const COMMIT = /^[0-9a-f]{7,40}(-dirty)?$/

/**
 * What `src/version.ts` says about the commit: PARLEY_COMMIT, for a build without the repository, such as that of the image, or what git
 * says about this folder. Empty without git, and in an unpacked archive, also if that is inside the repository of something else.
 */
export const defineCommit = { PARLEY_COMMIT: JSON.stringify(findCommit()) }

function findCommit(): string {
  const given = process.env.PARLEY_COMMIT?.trim()
  if (given) {
    if (COMMIT.test(given)) return given
    throw new Error('PARLEY_COMMIT is not the hash of a commit.')
  }
  // A hook of git runs with variables that name another repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  try {
    const { stdout, exitCode } = Bun.spawnSync(
      ['git', 'describe', '--always', '--dirty', '--abbrev=7', '--exclude=*'],
      {
        cwd: root,
        env: { ...env, GIT_CEILING_DIRECTORIES: dirname(root) },
        stderr: 'ignore',
      },
    )
    const said = stdout.toString().trim()
    return exitCode === 0 && COMMIT.test(said) ? said : ''
  } catch {
    return ''
  }
}
