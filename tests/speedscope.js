// speedscope.js FOLDER FILE...: imports files as speedscope (the npm package that lies in FOLDER) does, without a browser. Prints
// a line for each file and, for each profile in it, "NAME|DEPTH|CALLS|FRAME,FRAME..." by total weight; what the importer warns of
// is printed as it comes.
const fs = require('fs'), path = require('path'), vm = require('vm');
const folder = path.join(process.argv[2], 'dist', 'release');
const bundle = fs.readdirSync(folder).find(f => /^speedscope-.*\.js$/.test(f));
let source = fs.readFileSync(path.join(folder, bundle), 'utf8');

// The package is one closure that ends by drawing itself: the importer is kept, the drawing is left out.
const importer = /async function (\w+)\(\w+,\w+\)\{return\(await \w+\)\.importProfileGroupFromText/.exec(source);
const drawing = source.lastIndexOf('console.log(`speedscope v');
if (!importer || drawing < 0) {
	console.log('no importer is found in this version');
	process.exit(2);
}
source = source.slice(0, drawing) + `globalThis.importText = ${importer[1]};})();`;

// A browser in which everything is there and nothing happens.
const nothing = () => new Proxy(function () {}, {
	get: (of, key) => key === Symbol.toPrimitive ? () => '' : key === 'length' ? 0 : nothing(),
	apply: () => nothing(), construct: () => nothing(), set: () => true,
});
const storage = {getItem: () => null, setItem() {}};
const browser = {
	console: {log() {}, warn: (...a) => console.log('warning:', ...a), error: (...a) => console.log('error:', ...a)},
	setTimeout, clearTimeout, TextDecoder, TextEncoder, URL, Promise, performance, FinalizationRegistry, WebAssembly,
	fetch: () => Promise.reject(), localStorage: storage, sessionStorage: storage, navigator: {userAgent: ''},
	location: {hash: '', protocol: 'http:', href: 'http://localhost/'}, matchMedia: () => nothing(),
	requestAnimationFrame() {}, addEventListener() {}, document: nothing(),
};
browser.window = browser.self = browser.globalThis = browser;
vm.createContext(browser);
vm.runInContext(source, browser);

async function show(file) {
	const group = await browser.importText(path.basename(file), fs.readFileSync(file, 'utf8'));
	if (!group) {
		console.log(`${file}: no profile`);
		return;
	}
	console.log(`${file}: ${group.profiles.length} profiles`);
	for (const p of group.profiles) {
		let depth = 0, most = 0, calls = 0;
		const frames = [];
		p.forEachCall(() => { calls++; most = Math.max(most, ++depth); }, () => depth--);
		p.forEachFrame(f => frames.push([f.getTotalWeight(), f.name]));
		frames.sort((a, b) => b[0] - a[0]);
		console.log(`${p.getName()}|${most}|${calls}|${frames.map(f => f[1]).join(',')}`);
	}
}

(async () => {
	for (const file of process.argv.slice(3))
		await show(file).catch(e => console.log(`${file}: refused: ${e.message}`));
})();
