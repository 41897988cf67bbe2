// SPDX-License-Identifier: Apache-2.0
// Adds to a page that is complete without it: filter, sort, keys, copy, and rows that are made when
// they are opened. Texts of the cluster are only set as text, never as HTML.
'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const element = (tag, text = '', attributes = {}) => {
    const result = document.createElement(tag);
    if (text !== '') result.textContent = text;
    for (const [name, value] of Object.entries(attributes)) result.setAttribute(name, value);
    return result;
  };
  const link = (number) => document.getElementById('n' + number) ?
      element('a', String(number), {href: '#n' + number}) : element('span', String(number));

  // The placements: for each DaemonSet the state of each node, as a number in one to three digits of
  // base 64; 0: the DaemonSet has no report on the node.
  const source = one('#data');
  const data = source ? JSON.parse(source.textContent) : null;
  const digits = new Map(
      [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map((c, i) => [c, i]));
  const numbers = (text, width) => {
    const result = [];
    for (let at = 0; at < text.length; at += width) {
      let number = 0;
      for (let i = 0; i < width; ++i) number = number * 64 + digits.get(text[at + i]);
      result.push(number);
    }
    return result;
  };
  const decoded = new Map();
  const statesOf = (ds) => {
    if (!decoded.has(ds.name)) decoded.set(ds.name, numbers(ds.of, ds.width));
    return decoded.get(ds.name);
  };
  // Calls use(node, group, problem) for each node of the DaemonSet; problem: its number, or 0.
  const eachNode = (ds, use) => statesOf(ds).forEach((state, node) => {
    if (state === 0) return;
    const [group, problem] = ds.states[state - 1];
    use(node, groupOf(ds, group), problem);
  });
  const groupOf = (ds, i) => {
    const [verdict, tone, why] = ds.groups[i];
    return {key: i, verdict: data.texts[verdict], tone: data.texts[tone], why};
  };
  const daemonSet = (name) => data ? data.daemonSets.find((ds) => ds.name === name) : undefined;
  let byNode = null;
  const problemsOfNodes = () => {
    if (byNode) return byNode;
    byNode = data.nodes.map(() => new Set());
    for (const ds of data.daemonSets) {
      eachNode(ds, (node, group, problem) => problem && byNode[node].add(problem));
    }
    return byNode;
  };

  // --- Rows made when they are opened.
  const most = 200;
  const names = (list) => {
    const cell = element('p', '', {class: 'names'});
    list.slice(0, most).forEach((name) => cell.append(element('code', name), ' '));
    if (list.length > most) cell.append(`and ${list.length - most} more`);
    return cell;
  };
  const groupTable = (ds) => {
    const nodes = ds.groups.map(() => []);
    eachNode(ds, (node, group) => nodes[group.key].push(data.nodes[node]));
    const table = element('table');
    const head = table.createTHead().insertRow();
    ['verdict', 'nodes', 'why'].forEach((title) => head.append(element('th', title, {scope: 'col'})));
    const body = table.createTBody();
    for (const [i, list] of nodes.entries()) {
      if (list.length === 0) continue;
      const group = groupOf(ds, i);
      const row = body.insertRow();
      row.insertCell().append(element('strong', group.verdict, {class: group.tone}));
      const cell = row.insertCell();
      const fold = element('details', '', {class: 'fold'});
      fold.append(element('summary', `${list.length} node${list.length === 1 ? '' : 's'}`));
      fold.addEventListener('toggle', () => fold.children.length > 1 || fold.append(names(list)));
      cell.append(fold);
      const why = row.insertCell();
      group.why.forEach((text) => why.append(element('div', data.texts[text])));
    }
    return table;
  };
  all('tr.more details').forEach((details) => details.addEventListener('toggle', () => {
    const row = details.closest('tr.more');
    const ds = data && data.rowsByScript ? daemonSet(row.dataset.of) : undefined;
    const inside = one('.inside', details);
    if (!ds || !details.open || one('.made', inside)) return;
    const made = element('div', '', {class: 'wide made'});
    made.append(groupTable(ds));
    inside.insertBefore(made, one('.possible', inside));
  }));

  const nodeTable = one('#t-nodes tbody');
  const titled = (cell, title, sort) => {
    cell.dataset.title = title;
    if (sort !== undefined) cell.dataset.sort = sort;
    return cell;
  };
  const problemsOfNode = (i) => [...problemsOfNodes()[i]].sort((a, b) => a - b);
  // The values of a node by column, for sorting.
  const nodeValues = [
    (i) => data.nodes[i], (i) => data.texts[data.nodeRows.pools[i]], (i) => data.nodeRows.seconds[i],
    (i) => data.texts[data.nodeRows.taints[i]], (i) => problemsOfNode(i)[0] ?? '-',
  ];
  let nodeOrder = data ? data.nodes.map((name, i) => i) : [];
  let nodeMatches = () => true;
  const nodeRow = (i) => {
    const row = element('tr', '', {'data-node': data.nodes[i]});
    row.append(titled(element('th', data.nodes[i], {scope: 'row'}), 'NAME'));
    row.append(titled(element('td', data.texts[data.nodeRows.pools[i]]), 'POOL'));
    row.append(titled(element('td', data.texts[data.nodeRows.ages[i]]), 'AGE', data.nodeRows.seconds[i]));
    row.append(titled(element('td', data.texts[data.nodeRows.taints[i]]), 'TAINTS'));
    const of = problemsOfNode(i);
    const cell = titled(element('td', of.length === 0 ? '-' : ''), 'PROBLEMS');
    of.forEach((number) => cell.append(link(number), ' '));
    row.append(cell);
    return row;
  };
  const makeNodeRows = () => {
    nodeTable.replaceChildren();
    let found = 0;
    for (const i of nodeOrder) {
      if (!nodeMatches(data.nodes[i], problemsOfNodes()[i])) continue;
      if (found++ < most) nodeTable.append(nodeRow(i));
    }
    const note = one('.byscript');
    note.textContent = found > most ? `${found - most} more: filter by node:NAME` : '';
  };

  // --- Filter: words and problem:N ns:NAME node:GLOB verdict:NAME action:needed|overdue|none.
  const pattern = (glob) => new RegExp(
      '^' + glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.') + '$');
  const parse = (text) => {
    const filter = {words: [], problem: null, ns: null, node: null, verdict: null, action: null};
    for (const word of text.trim().split(/\s+/).filter(Boolean)) {
      const [, key, value] = /^(problem|ns|node|verdict|action):(.+)$/.exec(word) || [];
      if (!key) filter.words.push(word.toLowerCase());
      else if (key === 'problem') filter.problem = value.split(',');
      else if (key === 'action') filter.action = value;
      else if (key === 'verdict') filter.verdict = value.toLowerCase();
      else filter[key] = pattern(value);
    }
    return filter;
  };
  const hasWords = (words, text) => words.every((word) => text.toLowerCase().includes(word));
  const numbersIn = (row) => (row.dataset.problems || '').split(' ').filter(Boolean);
  // The placements that a filter by node, verdict or namespace leaves: their problems, DaemonSets and
  // nodes. Null: it has no such part, or the page has no placements.
  const placementsWith = (filter) => {
    if (!filter.node && !filter.verdict && !filter.ns || !data) return null;
    const result = {problems: new Set(), daemonSets: new Set(), nodes: new Set()};
    for (const ds of data.daemonSets) {
      if (filter.ns && !filter.ns.test(ds.name.split('/')[0])) continue;
      if (!filter.node && !filter.verdict) {
        result.daemonSets.add(ds.name);
        ds.problems.forEach((number) => result.problems.add(String(number)));
      }
      eachNode(ds, (node, group, problem) => {
        if (filter.node && !filter.node.test(data.nodes[node])) return;
        if (filter.verdict && group.verdict.toLowerCase() !== filter.verdict) return;
        if (!filter.verdict && group.verdict === 'excluded') return;
        result.daemonSets.add(ds.name);
        result.nodes.add(data.nodes[node]);
        if (problem) result.problems.add(String(problem));
      });
    }
    return result;
  };
  const actionOf = new Map(all('.problem').map((p) => [p.dataset.problem, p.dataset.action]));
  const show = (row, shown) => { row.hidden = !shown; };
  let opened = [];  // folds that the filter opened
  const unfold = (row) => {
    for (let at = row.closest('details.fold'); at; at = at.parentElement.closest('details.fold')) {
      if (at.open) continue;
      at.open = true;
      opened.push(at);
    }
  };
  const acts = (number, action) => {
    const own = actionOf.get(number);
    if (own === undefined) return action === 'needed';  // without a line on the page
    return action === 'needed' ? own !== 'none' : own === action;
  };
  const apply = (text) => {
    const filter = parse(text);
    const some = placementsWith(filter);
    const isEmpty = text.trim() === '';
    opened.forEach((fold) => { fold.open = false; });
    opened = [];
    const matches = (number) => (!filter.problem || filter.problem.includes(number)) &&
        (!filter.action || acts(number, filter.action)) && (!some || some.problems.has(number));
    const shownProblems = new Set();
    for (const problem of all('.problem')) {
      const shown = filter.action !== 'healthy' && matches(problem.dataset.problem) &&
          hasWords(filter.words, problem.textContent);
      show(problem, shown);
      if (!shown) continue;
      shownProblems.add(problem.dataset.problem);
      if (!isEmpty) unfold(problem);
    }
    const byProblem = filter.problem || filter.action;
    const problemsOf = new Map(all('#daemonsets tr[data-ds]').map((row) => [row.dataset.ds, numbersIn(row)]));
    const isDaemonSet = (name) => {
      const has = problemsOf.get(name) || [];
      if (filter.action === 'healthy' ? has.length !== 0 : byProblem && !has.some(matches)) return false;
      if (some && !some.daemonSets.has(name)) return false;
      return hasWords(filter.words, name) || has.some((number) => shownProblems.has(number));
    };
    let daemonSets = 0;
    for (const row of all('tr[data-ds]')) {
      const shown = isEmpty || isDaemonSet(row.dataset.ds);
      show(row, shown);
      if (!shown || isEmpty || row.closest('.matrix')) continue;
      ++daemonSets;
      unfold(row);
    }
    for (const row of all('tr.more')) show(row, !row.previousElementSibling.hidden);
    nodeMatches = (name, has) => (!some || some.nodes.size === 0 || some.nodes.has(name)) &&
        (!byProblem || filter.action === 'healthy' || [...has].some((n) => matches(String(n)))) &&
        (filter.words.length === 0 || hasWords(filter.words, name) ||
         [...has].some((n) => shownProblems.has(String(n))));
    if (some && some.nodes.size === 0 && (filter.node || filter.verdict)) nodeMatches = () => false;
    if (data && data.nodeRows && nodeTable) {
      if (nodeTable.closest('details').open) makeNodeRows();
    } else {
      all('tr[data-node]').forEach((row) => show(row, nodeMatches(row.dataset.node, numbersIn(row))));
    }
    if (says) {
      says.textContent = isEmpty ? '' :
          `${shownProblems.size} of ${actionOf.size} problems and ${daemonSets} DaemonSets match` +
          ((filter.node || filter.verdict || filter.ns) && !data ?
               '; this page is too large for node:, ns: and verdict:' : '');
    }
    all('button.count').forEach((button) => button.setAttribute(
        'aria-pressed', String(text.trim() === 'action:' + button.dataset.filter)));
  };
  // --- Tools: the filter box, which keeps its state in the fragment; theme; help.
  let says = null;
  let box = null;
  const setFilter = (text) => {
    box.value = text;
    apply(text);
    const words = text.trim();
    history.replaceState(null, '', words === '' ? location.pathname + location.search :
        '#?' + encodeURIComponent(words));
  };
  if (one('.report')) {
    const tools = element('div', '', {class: 'tools'});
    box = element('input', '', {
      type: 'search', id: 'filter', 'aria-label': 'Filter',
      placeholder: 'Filter (/): words, problem:3 ns:logging node:gpu-* verdict:pending',
    });
    box.addEventListener('input', () => setFilter(box.value));
    const theme = element('button', 'Dark/light', {type: 'button', class: 'tool', id: 'theme'});
    theme.addEventListener('click', () => {
      const root = document.documentElement;
      const dark = root.dataset.theme ? root.dataset.theme === 'dark' :
          matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = dark ? 'light' : 'dark';
    });
    const help = element('button', 'Keys (?)', {type: 'button', class: 'tool'});
    help.addEventListener('click', () => keys.showModal());
    tools.append(box, theme, help);
    says = element('p', '', {class: 'says', role: 'status'});
    one('.counts').after(tools, says);
    for (const count of all('.count')) {
      const button = element('button', '', {type: 'button', class: count.className});
      button.dataset.filter = count.dataset.filter;
      button.append(...count.childNodes);
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', () => {
        const text = 'action:' + button.dataset.filter;
        setFilter(box.value.trim() === text ? '' : text);
      });
      count.replaceWith(button);
    }
  }
  const keys = element('dialog', '', {'aria-label': 'Keys'});
  for (const line of [
    '/  filter', 'j k  next and previous problem', 'Enter or o  open or close it',
    'c  copy its first command', 'Esc  clear the filter',
  ]) keys.append(element('p', line));
  const close = element('button', 'Close', {type: 'button', class: 'tool'});
  close.addEventListener('click', () => keys.close());
  keys.append(close);
  document.body.append(keys);

  // --- Copy.
  const copy = async (pre, button) => {
    const text = one('code', pre).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(one('code', pre));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      if (!document.execCommand('copy')) return;
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  };
  for (const pre of all('pre')) {
    const button = element('button', 'Copy', {type: 'button', class: 'tool'});
    button.addEventListener('click', () => copy(pre, button));
    pre.append(button);
  }

  // --- Sort by a click on a title; the rows below a row move with it.
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort || cell.textContent.trim();
    const number = Number(text.split(' ')[0]);
    return text !== '' && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === 'number' ? -1 : 1;
  };
  for (const table of all('table.rows')) {
    const titles = [...table.tHead.rows[0].cells];
    const ownRows = () => [...table.tBodies[0].rows].filter((row) => !row.matches('.more'));
    ownRows().forEach((row) => [...row.cells].forEach(
        (cell, i) => { cell.dataset.title = titles[i].textContent; }));
    titles.forEach((title, column) => {
      const button = element('button', title.textContent, {type: 'button'});
      title.replaceChildren(button);
      button.addEventListener('click', () => {
        const descending = title.getAttribute('aria-sort') === 'ascending';
        titles.forEach((other) => other.removeAttribute('aria-sort'));
        title.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
        const inOrder = (a, b) => descending ? compare(b, a) : compare(a, b);
        if (table.id === 't-nodes' && data && data.nodeRows) {
          nodeOrder.sort((a, b) => inOrder(nodeValues[column](a), nodeValues[column](b)));
          makeNodeRows();
          return;
        }
        const rows = ownRows().map((row) => [row, row.nextElementSibling?.matches('.more') ?
            row.nextElementSibling : null, value(row, column)]);
        rows.sort((a, b) => inOrder(a[2], b[2]));
        rows.forEach(([row, more]) => table.tBodies[0].append(row, ...(more ? [more] : [])));
      });
    });
  }

  // --- The matrix: the reason is a tooltip; a click on a cell opens the problem and names the nodes of the cell.
  one('.matrix')?.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const cell = event.target.closest('td');
    const number = cell && one('sub', cell)?.textContent;
    if (!number) return;
    const problem = one(`[data-problem="${number}"]`);
    if (!problem) return;
    event.preventDefault();
    open(problem);
    all('.picked').forEach((other) => other.classList.remove('picked'));
    cell.classList.add('picked');
    one('.of-cell', problem)?.remove();
    const ds = daemonSet(cell.parentElement.dataset.ds);
    const column = data && data.columns ? data.columns[cell.cellIndex - 1] : null;
    if (!ds || !column) return;
    const states = statesOf(ds);
    const list = column.filter((node) => states[node] && ds.states[states[node] - 1][1] === Number(number))
        .map((node) => data.nodes[node]);
    const part = element('div', '', {class: 'of-cell'});
    part.append(element('p', `${ds.name}, ${one('a', cell).title}:`), names(list));
    one('.body', problem)?.prepend(part);
    history.replaceState(null, '', '#' + problem.id);
  });
  for (const anchor of all('.matrix td a')) {
    const problem = one(`[data-problem="${one('sub', anchor).textContent}"] .what`);
    if (problem) anchor.title += ': ' + problem.textContent;
  }
  const open = (problem) => {
    for (let at = problem; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    problem.hidden = false;
    problem.scrollIntoView({block: 'nearest'});
    one('summary', problem).focus();
  };

  // --- Keys.
  const shownProblems = () => all('.problem').filter((p) => !p.hidden && p.offsetParent !== null);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    const typing = event.target.matches('input, textarea');
    if (event.key === 'Escape' && box && box.value !== '') return setFilter('');
    if (typing || !box) return;
    const current = document.activeElement.closest('.problem');
    const step = (by) => {
      const list = shownProblems();
      const next = list[Math.max(0, Math.min(list.length - 1, list.indexOf(current) + by))];
      if (next) one('summary', next).focus();
    };
    const actions = {
      '/': () => box.focus(),
      j: () => step(1),
      k: () => step(-1),
      o: () => { if (current) current.open = !current.open; },
      c: () => { const pre = current && one('pre', current); if (pre) copy(pre, one('button', pre)); },
      '?': () => keys.showModal(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });

  // --- Links to a problem open it; local time is a tooltip of each time.
  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const follow = () => {
    const id = decode(location.hash.slice(1));
    if (box && id.startsWith('?')) {
      box.value = id.slice(1);
      return apply(box.value);
    }
    const target = id ? document.getElementById(id) : null;
    const problem = target && target.closest('.problem');
    if (problem) open(problem);
    if (target) target.hidden = false;
    const more = target && target.nextElementSibling;
    if (more && more.matches('tr.more')) more.hidden = false;
    if (more && more.matches('tr.more')) one('details', more).open = true;
  };
  window.addEventListener('hashchange', follow);
  all('time[datetime]').forEach((time) => {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.title = at.toLocaleString();
  });
  if (data && data.nodeRows && nodeTable) {
    nodeTable.closest('details').addEventListener('toggle', () => {
      makeNodeRows();
    });
  }
  document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[href^="#"]');
    if (anchor && location.hash === anchor.hash) follow();
  });
  follow();
})();
