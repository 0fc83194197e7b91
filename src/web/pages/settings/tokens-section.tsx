import { useMe } from '../../data/me'
import { paths } from '../../paths'
import { Tokens } from './tokens'

/** The member's own tokens. */
export function TokensSection() {
  const { role } = useMe()
  const disabledReason =
    role === 'admin' || role === 'member' ? undefined : 'Only members and admins can create personal tokens.'
  return (
    <>
      <p className="meta">
        A token lets a program, or an agent connected to <code>{location.origin}/mcp</code>, act on your behalf, with
        your permissions. What an agent writes is marked with the name of its token. See the{' '}
        <a href={paths.apiReference}>API reference</a>.
      </p>
      <Tokens owner={undefined} disabledReason={disabledReason} />
    </>
  )
}
