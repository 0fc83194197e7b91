import { useMe } from '../../data/me'
import { paths } from '../../paths'
import { Tokens } from './tokens'

/** The member's own tokens. */
export function TokensSection() {
  const { role } = useMe()
  const disabledReason =
    role === 'admin' || role === 'member' ? undefined : 'Only members and admins make tokens for themselves.'
  return (
    <>
      <p className="meta">
        With a token, a program does what you may do, in your name. The <a href={paths.apiReference}>API reference</a>{' '}
        says how.
      </p>
      <Tokens owner={undefined} disabledReason={disabledReason} />
    </>
  )
}
