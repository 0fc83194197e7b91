import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import type { Excerpt, SearchResult, SearchSubject } from '../../../contract/search'
import { getRecord, getResultPath, type ResultGroup, rememberSearch } from '../../data/search'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { ExcerptText } from '../../parts/excerpt-text'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { createHighlightState } from '../../shell/search-highlight'

/** A post or thread with what was found in it. */
export function ResultEntry({ group: { id, subject, results }, q }: { group: ResultGroup; q: string }) {
  const postResult = results.find((result) => result.type === 'post')
  const post = postResult?.post
  const title = postResult?.excerpts.find(({ field }) => field === 'title')
  const within = results.filter((result) => result !== postResult)
  const path = subject.type === 'post' ? paths.post(id) : paths.thread(id)
  return (
    <li id={id} className="result">
      <div className="result-head">
        <p className="meta row">{post ? <PostFacts post={post} /> : <SubjectFacts subject={subject} />}</p>
        <h2>
          <Link href={path} data-row {...getLinkProps(q)}>
            {title ? <ExcerptText excerpt={title} /> : subject.title}
          </Link>
        </h2>
        <Passages excerpts={postResult?.excerpts.filter((excerpt) => excerpt !== title) ?? []} />
      </div>
      {within.length > 0 && (
        <ol className="result-within" aria-label={subject.type === 'post' ? 'Comments' : 'Messages'}>
          {within.map((result) => (
            <ResultWithin key={getRecord(result).id} result={result} q={q} />
          ))}
        </ol>
      )}
      {post && (post.resolution || post.comments_count > 0) && <PostState post={post} />}
    </li>
  )
}

/** For links to results: what was searched for is remembered, and highlighted on the page. */
const getLinkProps = (q: string) => ({ state: createHighlightState(q), onClick: () => rememberSearch(q) })

const PostFacts = ({ post }: { post: Post }) => (
  <>
    <Avatar of={post.author} size={20} />
    <span className="who">{post.author.name}</span>
    <AppMark of={post.author} />
    <InChannel channel={post.channel} />
    <Time at={post.created_at} />
  </>
)

const InChannel = ({ channel }: { channel: Post['channel'] }) => (
  <span>
    in <Link href={paths.channel(channel.id)}>{channel.name}</Link>
  </span>
)

const SubjectFacts = ({ subject: { type, channel } }: { subject: SearchSubject }) => (
  <>
    <Icon name={type === 'post' ? 'posts' : 'threads'} />
    <span>{type === 'post' ? 'Post' : 'Thread'}</span>
    {channel && <InChannel channel={channel} />}
  </>
)

const PostState = ({ post }: { post: Post }) => (
  <p className="meta row">
    {post.resolution && (
      <span className="good row">
        <Icon name="check" /> Resolved
      </span>
    )}
    {post.comments_count > 0 && <span className="count">{formatCount(post.comments_count, 'comment')}</span>}
  </p>
)

const MAX_PASSAGES = 2

/** The first passages. They can have the same text, so they are told apart by their place. */
const Passages = ({ excerpts }: { excerpts: Excerpt[] }) =>
  [...excerpts.slice(0, MAX_PASSAGES).entries()].map(([at, excerpt]) => (
    <span key={at} className="passage">
      {excerpt.field === 'resolution' && <b>Resolution: </b>}
      <ExcerptText excerpt={excerpt} />
    </span>
  ))

/** A comment or a message. The whole of it is a link. */
function ResultWithin({ result, q }: { result: SearchResult; q: string }) {
  const { author, created_at } = getRecord(result)
  return (
    <li>
      <Link href={getResultPath(result)} data-row {...getLinkProps(q)}>
        <span className="meta row">
          <Avatar of={author} size={20} />
          <span className="who">{author.name}</span>
          <AppMark of={author} />
          <Time at={created_at} />
        </span>
        <Passages excerpts={result.excerpts} />
      </Link>
    </li>
  )
}
