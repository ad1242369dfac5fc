// Keeps the monographs read last, and answers with them where the network does not. Nothing else is ever kept: only
// pages that the server marks (X-Keep), the pictures in them, and the files that pages are made of.
// self.TOLD is what monographs/offline.py tells, null where keeping is switched off.
(function () {
  "use strict";

  var TOLD = self.TOLD;
  var MARK = '<main id="noi-dung"';
  var MOST_PICTURES = 60;
  var UNREACHED = [502, 503, 504];
  var PICTURE = /src="(\/passages\/\d+\/crop\.png\?[^"]*)"/g;

  // One change at a time: what is forgotten must not come back with a page that was still under way.
  var last = Promise.resolve();

  function inTurn(change) {
    last = last.then(change, change);
    return last;
  }

  // Pages kept by another release refer to files of that release, so every release has caches of its own.
  var RELEASE = TOLD ? digest(TOLD.shell.join()) : "";
  var SHELL = "duocthu-shell-" + RELEASE;
  var KEPT = "duocthu-kept-" + RELEASE + "-";

  function digest(text) {
    var found = 0;
    for (var at = 0; at < text.length; at++) found = (Math.imul(found, 31) + text.charCodeAt(at)) >>> 0;
    return found.toString(36);
  }

  async function deleteWhere(matches) {
    await Promise.all((await caches.keys()).filter(matches).map(function (name) {
      return caches.delete(name);
    }));
  }

  function forgetAllBut(name) {
    return deleteWhere(function (found) {
      return found.indexOf("duocthu-kept-") === 0 && found !== name;
    });
  }

  async function keptName() {
    return (await caches.keys()).find(function (name) {
      return name.indexOf(KEPT) === 0;
    });
  }

  async function install() {
    await self.skipWaiting();
    if (!TOLD) return;
    var shell = await caches.open(SHELL);
    await shell.addAll(TOLD.shell);
    var page = await fetch(TOLD.page, { credentials: "omit", redirect: "error", cache: "no-store" });
    if (!page.ok) throw new Error("offline page: " + page.status);
    await shell.put(TOLD.page, page);
  }

  async function activate() {
    await deleteWhere(function (name) {
      var current = TOLD && (name === SHELL || name.indexOf(KEPT) === 0);
      return name.indexOf("duocthu-") === 0 && !current;
    });
    if (TOLD) await self.clients.claim();
    else await self.registration.unregister();
  }

  // What a page says when it opens: what kept pages are valid for, and which monograph is being read.
  async function heard(said) {
    await inTurn(async function () {
      var name = said.keptFor ? KEPT + said.keptFor : "";
      await forgetAllBut(name);
      if (name) await caches.open(name);
    });
    if (said.keptFor && said.reading && slugOf(said.reading)) await keep(said.reading);
  }

  async function keep(path) {
    var name = await keptName();
    if (!name) return;
    if (await inTurn(function () {
      return readAgain(name, path);
    })) return;
    var response = await fetch(path, { credentials: "same-origin", redirect: "error", cache: "no-store" });
    var marked = new URLSearchParams(response.headers.get("X-Keep") || "");
    if (response.status !== 200 || KEPT + marked.get("for") !== name) return;
    var html = await response.text();
    // Without the place for its notice a kept page could pass for one of today.
    if (html.indexOf(MARK) < 0) return;
    await inTurn(function () {
      return store(name, path, html, headersOf(response, marked));
    });
    await keepPictures(name, html);
  }

  function headersOf(response, marked) {
    var headers = new Headers(response.headers);
    ["Content-Encoding", "Content-Length", "Vary", "X-Keep"].forEach(function (header) {
      headers.delete(header);
    });
    headers.set("X-Kept-At", new Date().toISOString());
    headers.set("X-Kept-Name", encodeURIComponent(marked.get("name")));
    headers.set("X-Kept-Edition", encodeURIComponent(marked.get("edition")));
    return headers;
  }

  async function store(name, path, html, headers) {
    if (!(await caches.has(name))) return;
    var cache = await caches.open(name);
    await cache.put(path, new Response(html, { headers: headers }));
    await dropOldest(cache);
  }

  // Pages stand in the order in which they were read; putting one again moves it to the end.
  async function readAgain(name, path) {
    var cache = await openExisting(name);
    var page = cache && (await cache.match(path));
    if (!page) return false;
    await cache.put(path, page);
    return true;
  }

  async function openExisting(name) {
    return (await caches.has(name)) ? caches.open(name) : null;
  }

  async function dropOldest(cache) {
    var pages = (await cache.keys()).filter(function (request) {
      return slugOf(new URL(request.url).pathname);
    });
    for (var page of pages.slice(0, Math.max(0, pages.length - TOLD.most))) {
      var html = await (await cache.match(page)).text();
      await cache.delete(page);
      await Promise.all(picturesIn(html).map(function (picture) {
        return cache.delete(picture);
      }));
    }
  }

  // Tables and formulas are pictures. One after another: the server draws each when it is first asked for.
  async function keepPictures(name, html) {
    for (var picture of picturesIn(html)) {
      var response = await fetch(picture, { credentials: "same-origin", redirect: "error" });
      if (response.status === 200) await inTurn(putPicture.bind(null, name, picture, response));
    }
  }

  async function putPicture(name, picture, response) {
    var cache = await openExisting(name);
    if (cache) await cache.put(picture, response);
  }

  function picturesIn(html) {
    var found = Array.from(html.matchAll(PICTURE), function (match) {
      return match[1].replaceAll("&amp;", "&");
    });
    return found.slice(0, MOST_PICTURES);
  }

  function slugOf(path) {
    var parts = path.indexOf(TOLD.book) === 0 ? path.slice(TOLD.book.length).split("/") : [];
    return parts.length === 2 && parts[1] === "" ? parts[0] : "";
  }

  // A section's own page is answered by its monograph, opened at that section.
  function pageFor(url) {
    if (url.search || url.pathname.indexOf(TOLD.book) !== 0) return null;
    var parts = url.pathname.slice(TOLD.book.length).split("/");
    if (!parts[0] || parts[parts.length - 1] !== "" || parts.length > 3) return null;
    return { path: TOLD.book + parts[0] + "/", anchor: parts.length === 3 ? parts[1] : "" };
  }

  async function keptPage(url) {
    var wanted = pageFor(url);
    var name = wanted && (await keptName());
    var page = name && (await (await caches.open(name)).match(wanted.path));
    return page ? { page: page, wanted: wanted } : null;
  }

  function shown(kept, url) {
    var wanted = kept.wanted;
    if (wanted.anchor) return Response.redirect(new URL(wanted.path + "#" + wanted.anchor, url));
    return withNotice(kept.page, wanted.path);
  }

  async function withNotice(page, path) {
    var said = function (header) {
      return escaped(decodeURIComponent(page.headers.get(header)));
    };
    var shape = { hour: "2-digit", minute: "2-digit", day: "2-digit", month: "2-digit", year: "numeric" };
    var time = new Intl.DateTimeFormat("vi-VN", shape).format(new Date(page.headers.get("X-Kept-At")));
    var notice = '<section class="kept-notice" aria-label="Bản lưu trên máy này"><p><strong>Không nối được với máy chủ: '
      + "đang xem bản lưu trên máy này.</strong></p><p>Ấn bản: " + said("X-Kept-Edition") + ". Đã lưu lúc "
      + escaped(time) + ". Những gì sửa sau lúc đó không có ở đây.</p>"
      + '<p class="kept-links"><a href="' + escaped(path) + '">Thử lại</a> <a href="' + escaped(TOLD.page)
      + '">Các chuyên luận đã lưu</a></p></section>';
    var html = await page.text();
    return new Response(html.replace(MARK, function () {
      return notice + MARK;
    }), { headers: page.headers });
  }

  function escaped(text) {
    return text.replace(/[&<>"']/g, function (sign) {
      return "&#" + sign.charCodeAt(0) + ";";
    });
  }

  async function open(request, url) {
    var kept = await keptPage(url);
    try {
      var response = await (kept ? Promise.race([fetch(request), silence()]) : fetch(request));
      return kept && UNREACHED.indexOf(response.status) >= 0 ? shown(kept, url) : response;
    } catch (error) {
      return kept ? shown(kept, url) : (await inShell(TOLD.page)) || Response.error();
    }
  }

  function silence() {
    return new Promise(function (_, reject) {
      setTimeout(reject, TOLD.waitMilliseconds, new Error("no answer"));
    });
  }

  async function inShell(path) {
    var shell = await caches.open(SHELL);
    return shell.match(path, { ignoreVary: true });
  }

  async function keptPicture(path) {
    var name = await keptName();
    return name && (await caches.open(name)).match(path, { ignoreVary: true });
  }

  async function networkOr(request, find) {
    try {
      return await fetch(request);
    } catch (error) {
      return (await find()) || Response.error();
    }
  }

  self.addEventListener("install", function (event) {
    event.waitUntil(install());
  });

  self.addEventListener("activate", function (event) {
    event.waitUntil(activate());
  });

  if (!TOLD) return;

  self.addEventListener("message", function (event) {
    event.waitUntil(heard(event.data || {}).catch(function () {}));
  });

  self.addEventListener("fetch", function (event) {
    var request = event.request;
    var url = new URL(request.url);
    var path = url.pathname + url.search;
    if (url.origin !== self.location.origin) return;
    if (request.method === "POST" && TOLD.signOut.indexOf(url.pathname) >= 0) {
      event.waitUntil(inTurn(forgetAllBut.bind(null, "")));
    }
    if (request.method !== "GET") return;
    if (request.mode === "navigate") event.respondWith(open(request, url));
    else if (TOLD.shell.indexOf(path) >= 0) event.respondWith(networkOr(request, inShell.bind(null, path)));
    else if (request.destination === "image" && /^\/passages\/\d+\/crop\.png$/.test(url.pathname)) {
      event.respondWith(networkOr(request, keptPicture.bind(null, path)));
    }
  });
})();
