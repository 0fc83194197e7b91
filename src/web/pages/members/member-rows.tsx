import type { ReactNode, RefObject } from 'react'
import { Link } from 'wouter'
import type { Member } from '../../../contract/members'
import { useMe } from '../../data/me'
import { findMatch } from '../../data/search'
import { Avatar } from '../../parts/avatar'
import { Menu, type MenuEntry } from '../../parts/menu'
import { Loading, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { roleLabel } from './roles'

interface RowProps {
  member: Member
  query: string | undefined
  entries: MenuEntry[]
}

export const MemberTable = ({ rows, children }: { rows: RefObject<HTMLElement | null>; children: ReactNode }) => (
  <table className="members" aria-label="Members">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">E-mail address</th>
        <th scope="col">Role</th>
        <th scope="col">Joined</th>
        <th scope="col">
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody ref={rows as RefObject<HTMLTableSectionElement>} className="infinite-list">
      {children}
    </tbody>
  </table>
)

export const MemberTableRow = ({ member, query, entries }: RowProps) => (
  <tr id={member.id} className={member.is_deactivated ? 'deactivated' : ''}>
    <th scope="row">
      <MemberName member={member} query={query} />
    </th>
    <td>
      <Highlight text={member.user.email} query={query} />
    </td>
    <td>
      <MemberChips member={member} />
    </td>
    <td>
      <Time at={member.created_at} />
    </td>
    <td>{entries.length > 0 && <Menu label={`Actions for ${member.user.display_name}`} entries={entries} />}</td>
  </tr>
)

export const MemberListRow = ({ member, query, entries }: RowProps) => (
  <li id={member.id} className={`member-row ${member.is_deactivated ? 'deactivated' : ''}`}>
    <MemberName member={member} query={query} />
    <p className="meta">
      <Highlight text={member.user.email} query={query} />
    </p>
    <p>
      <MemberChips member={member} />
    </p>
    {entries.length > 0 && <Menu label={`Actions for ${member.user.display_name}`} entries={entries} />}
  </li>
)

const MemberName = ({ member, query }: { member: Member; query: string | undefined }) => (
  <Link href={paths.member(member.id)} className="member-name" data-row>
    <Avatar of={{ ...member.user, type: 'member' }} size={28} />
    <span>
      <Highlight text={member.user.display_name} query={query} />
      <IsYou id={member.id} />
    </span>
  </Link>
)

const IsYou = ({ id }: { id: string }) => (useMe().author.id === id ? <span className="meta"> you</span> : null)

export const MemberChips = ({ member: { role, is_deactivated } }: { member: Member }) => (
  <span className="row">
    <span className="chip">{roleLabel(role)}</span>
    {is_deactivated && <span className="chip">Deactivated</span>}
  </span>
)

export const MemberRowSkeleton = ({ count = 8 }: { count?: number }) => (
  <Loading what="members">
    <ol>
      {Array.from({ length: count }, (_, at) => (
        <li key={at} className="member-skeleton">
          <Skeleton width={28} height={28} />
          <Skeleton width={130 + (at % 3) * 30} />
        </li>
      ))}
    </ol>
  </Loading>
)

/** Highlights a query in a text. */
function Highlight({ text, query }: { text: string; query: string | undefined }) {
  const found = query ? findMatch(text, query) : undefined
  if (!found) return text
  const [from, to] = found
  return (
    <>
      {text.slice(0, from)}
      <mark>{text.slice(from, to)}</mark>
      {text.slice(to)}
    </>
  )
}
